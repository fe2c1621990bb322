"""The form and size of a PNG or JPEG, after all of it was decoded once. What is broken is found."""

from __future__ import annotations

import warnings
from io import BytesIO

from drr.env.drawer.reading.form import ReadContent, UnreadableFile

MOST_PIXELS = 25_000_000


def read_picture(data: bytes) -> ReadContent:
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as picture:
                width, height = picture.size
                if width * height > MOST_PIXELS:
                    raise UnreadableFile("invalid", _too_large(width, height))
                if getattr(picture, "n_frames", 1) > 1:
                    raise UnreadableFile("unsupported", "is a moving picture")
                picture.load()
                return {"picture": {"format": str(picture.format), "width": width, "height": height}}
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise UnreadableFile("invalid", f"is a picture of more than {MOST_PIXELS:,} pixels") from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        raise UnreadableFile("invalid", f"is no picture that can be read ({type(error).__name__})") from error


def _too_large(width: int, height: int) -> str:
    return f"is a picture of {width:,} x {height:,} pixels; at most {MOST_PIXELS:,} are read"

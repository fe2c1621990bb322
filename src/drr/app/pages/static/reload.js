// The owner's view looks again by itself; a reader who selects text is not interrupted.
"use strict";
setInterval(() => { if (String(getSelection()) === "") location.reload(); }, 15000);

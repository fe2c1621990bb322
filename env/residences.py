"""The homes of invented users: real cities with the ZIP prefix and telephone area code that belong to them."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    city: str
    state: str
    zip3: str
    """First three digits of its ZIP codes."""
    area_code: str
    weight: float
    """Its share of the state's people, in millions; a state's cities share alike."""


# State, millions of people (census of 2020), and cities: name, ZIP prefix, area code.
_TABLE = """
AL 5.0 Birmingham 352 205, Montgomery 361 334, Huntsville 358 256, Mobile 366 251
AK 0.7 Anchorage 995 907, Fairbanks 997 907, Juneau 998 907
AZ 7.2 Phoenix 850 602, Tucson 857 520, Mesa 852 480, Flagstaff 860 928
AR 3.0 Little Rock 722 501, Fayetteville 727 479, Jonesboro 724 870, Fort Smith 729 479
CA 39.5 Los Angeles 900 213, San Diego 921 619, San Jose 951 408, San Francisco 941 415, Fresno 937 559, Sacramento 958 916, Oakland 946 510, Bakersfield 933 661, Riverside 925 951, Santa Barbara 931 805, Anaheim 928 714, Long Beach 908 562
CO 5.8 Denver 802 303, Colorado Springs 809 719, Fort Collins 805 970, Boulder 803 303
CT 3.6 Hartford 061 860, New Haven 065 203, Stamford 069 203, Bridgeport 066 203
DE 1.0 Wilmington 198 302, Dover 199 302, Newark 197 302
DC 0.7 Washington 200 202
FL 21.5 Miami 331 305, Orlando 328 407, Tampa 336 813, Jacksonville 322 904, Tallahassee 323 850, Fort Lauderdale 333 954, St. Petersburg 337 727, Sarasota 342 941
GA 10.7 Atlanta 303 404, Savannah 314 912, Augusta 309 706, Macon 312 478, Athens 306 706
HI 1.5 Honolulu 968 808, Hilo 967 808
ID 1.8 Boise 837 208, Idaho Falls 834 208, Meridian 836 208, Coeur d'Alene 838 208
IL 12.8 Chicago 606 312, Springfield 627 217, Peoria 616 309, Rockford 611 815, Naperville 605 630, Champaign 618 217
IN 6.8 Indianapolis 462 317, Fort Wayne 468 260, Evansville 477 812, South Bend 466 574
IA 3.2 Des Moines 503 515, Cedar Rapids 524 319, Davenport 528 563, Sioux City 511 712
KS 2.9 Wichita 672 316, Topeka 666 785, Overland Park 662 913, Lawrence 660 785
KY 4.5 Louisville 402 502, Lexington 405 859, Bowling Green 421 270, Owensboro 423 270
LA 4.7 New Orleans 701 504, Baton Rouge 708 225, Shreveport 711 318, Lafayette 705 337
ME 1.4 Portland 041 207, Bangor 044 207, Augusta 043 207
MD 6.2 Baltimore 212 410, Frederick 217 301, Annapolis 214 410, Rockville 208 301
MA 7.0 Boston 021 617, Worcester 016 508, Springfield 011 413, Lowell 018 978
MI 10.1 Detroit 482 313, Grand Rapids 495 616, Lansing 489 517, Ann Arbor 481 734, Flint 485 810, Marquette 498 906
MN 5.7 Minneapolis 554 612, St. Paul 551 651, Duluth 558 218, Rochester 559 507
MS 3.0 Jackson 392 601, Gulfport 395 228, Hattiesburg 394 601, Tupelo 388 662
MO 6.2 Kansas City 641 816, St. Louis 631 314, Springfield 658 417, Columbia 652 573
MT 1.1 Billings 591 406, Missoula 598 406, Bozeman 597 406, Great Falls 594 406
NE 2.0 Omaha 681 402, Lincoln 685 402, Grand Island 688 308
NV 3.1 Las Vegas 891 702, Reno 895 775, Henderson 890 702, Carson City 897 775
NH 1.4 Manchester 031 603, Nashua 030 603, Concord 033 603
NJ 9.3 Newark 071 973, Jersey City 073 201, Trenton 086 609, Camden 081 856, Paterson 075 973, Edison 088 732
NM 2.1 Albuquerque 871 505, Santa Fe 875 505, Las Cruces 880 575, Roswell 882 575
NY 20.2 New York 100 212, Brooklyn 112 718, Buffalo 142 716, Rochester 146 585, Albany 122 518, Syracuse 132 315, Yonkers 107 914
NC 10.4 Charlotte 282 704, Raleigh 276 919, Greensboro 274 336, Durham 277 919, Asheville 288 828, Wilmington 284 910
ND 0.8 Fargo 581 701, Bismarck 585 701, Grand Forks 582 701
OH 11.8 Columbus 432 614, Cleveland 441 216, Cincinnati 452 513, Toledo 436 419, Dayton 454 937, Akron 443 330
OK 4.0 Oklahoma City 731 405, Tulsa 741 918, Norman 730 405, Lawton 735 580
OR 4.2 Portland 972 503, Eugene 974 541, Salem 973 503, Bend 977 541
PA 13.0 Philadelphia 191 215, Pittsburgh 152 412, Harrisburg 171 717, Allentown 181 610, Erie 165 814, Scranton 185 570
RI 1.1 Providence 029 401, Warwick 028 401, Newport 028 401
SC 5.1 Columbia 292 803, Charleston 294 843, Greenville 296 864
SD 0.9 Sioux Falls 571 605, Rapid City 577 605, Aberdeen 574 605
TN 6.9 Nashville 372 615, Memphis 381 901, Knoxville 379 865, Chattanooga 374 423
TX 29.1 Houston 770 713, San Antonio 782 210, Dallas 752 214, Austin 787 512, Fort Worth 761 817, El Paso 799 915, Lubbock 794 806, Corpus Christi 784 361, McAllen 785 956, Waco 767 254
UT 3.3 Salt Lake City 841 801, Provo 846 801, Ogden 844 801, St. George 847 435
VT 0.6 Burlington 054 802, Montpelier 056 802, Rutland 057 802
VA 8.6 Virginia Beach 234 757, Richmond 232 804, Arlington 222 703, Norfolk 235 757, Roanoke 240 540
WA 7.7 Seattle 981 206, Spokane 992 509, Tacoma 984 253, Vancouver 986 360, Bellingham 982 360, Yakima 989 509
WV 1.8 Charleston 253 304, Huntington 257 304, Morgantown 265 304
WI 5.9 Milwaukee 532 414, Madison 537 608, Green Bay 543 920, Kenosha 531 262, Eau Claire 547 715
WY 0.6 Cheyenne 820 307, Casper 826 307, Laramie 820 307
"""


def places() -> list[Place]:
    found: list[Place] = []
    for line in _TABLE.strip().splitlines():
        state, people, rest = line.split(" ", 2)
        cities = [city.rsplit(" ", 2) for city in rest.split(", ")]
        found += [Place(city, state, zip3, area, float(people) / len(cities)) for city, zip3, area in cities]
    return found

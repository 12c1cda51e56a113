"""Words for generated pages: the same for the same seed, on every Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

THINGS = [
    "anvil",
    "basket",
    "bellows",
    "bobbin",
    "bolt",
    "brazier",
    "bucket",
    "button",
    "candle",
    "canoe",
    "chisel",
    "churn",
    "cistern",
    "clamp",
    "compass",
    "crate",
    "crucible",
    "dinghy",
    "drum",
    "easel",
    "ferrule",
    "flask",
    "fender",
    "gasket",
    "gauge",
    "gimlet",
    "goblet",
    "hammock",
    "harness",
    "hinge",
    "inkwell",
    "jug",
    "kettle",
    "kite",
    "ladder",
    "lantern",
    "lathe",
    "lever",
    "loom",
    "mallet",
    "mortar",
    "needle",
    "oar",
    "paddle",
    "pestle",
    "plane",
    "plough",
    "pulley",
    "quiver",
    "rake",
    "rivet",
    "rudder",
    "saddle",
    "sextant",
    "shuttle",
    "sickle",
    "spade",
    "spindle",
    "spool",
    "stove",
    "tankard",
    "thimble",
    "tongs",
    "trowel",
    "valve",
    "vise",
    "wagon",
    "wedge",
    "wheel",
    "whisk",
    "winch",
    "yoke",
]
QUALITIES = [
    "ancient",
    "brass",
    "broad",
    "cedar",
    "copper",
    "crooked",
    "dented",
    "double",
    "early",
    "folding",
    "forged",
    "glazed",
    "green",
    "hollow",
    "iron",
    "light",
    "little",
    "long",
    "narrow",
    "northern",
    "oiled",
    "painted",
    "patient",
    "plain",
    "portable",
    "quiet",
    "red",
    "riveted",
    "rough",
    "round",
    "salted",
    "second-hand",
    "silver",
    "slow",
    "small",
    "soft",
    "southern",
    "stout",
    "sturdy",
    "tinned",
    "twisted",
    "varnished",
    "waxed",
    "weathered",
    "white",
    "wide",
    "wooden",
    "woven",
]
PLACES = [
    "Abbotsley",
    "Birchover",
    "Callerton",
    "Dunsop",
    "Elmstead",
    "Fernhurst",
    "Garsdale",
    "Haxby",
    "Inkberrow",
    "Jevington",
    "Kelsale",
    "Langport",
    "Melverley",
    "Nunburn",
    "Oakley",
    "Pilling",
    "Quorn",
    "Ravensden",
    "Seathwaite",
    "Thurne",
    "Ulverham",
    "Vange",
    "Withern",
    "Yarlet",
]
PEOPLE = [
    "Ada Bell",
    "Bastian Crewe",
    "Cora Dunn",
    "Desmond Eyre",
    "Edda Finch",
    "Farid Gale",
    "Greta Holm",
    "Hugo Ivers",
    "Ines Jarvis",
    "Jonas Keel",
    "Kaya Lund",
    "Leon Marsh",
    "Mira Noble",
    "Nils Orchard",
    "Olive Pike",
    "Pavel Quick",
    "Rosa Stroud",
    "Silas Thorn",
    "Tilda Usher",
    "Viktor Wray",
]
SENTENCES = (
    "The {a} {t} was found in a barn near {p} and has been in use ever since.",
    "Nobody at {p} remembers who ordered {n} of them, but all were delivered on the same morning.",
    "Whoever has repaired a {t} knows that the {a} ones last longest and complain least.",
    "In {y} the workshop at {p} moved to a {a} building with a door wide enough for a {t}.",
    "According to {w}, every {t} should be oiled twice a year and left alone for the rest of it.",
    "It took {n} hours to take the {t} apart and a good deal longer to put it together again.",
    "The price has hardly changed since {y}, which says less about the {t} than about {p}.",
    "There is a {a} mark on the handle by which the makers of {p} recognised their own work.",
    "{w} wrote in {y} that a {a} {t} is worth {n} new ones, and was laughed at for it.",
    "Visitors to {p} may try the {a} {t} themselves on the first Sunday of the month, gloves are provided.",
    "Of the {n} that were made, only a handful survive, most of them {a} and one of them in {p}.",
    "What looks like damage is in fact the {a} place where the {t} of {y} was held while it cooled.",
    "The drawings were lost in the flood of {y} and had to be made again from a {a} original.",
    "A {t} of the {p} kind needs no more than a drop of linseed and somebody {a} who looks at it now and then.",
    "When the line to {p} closed in {y}, the {a} {t} came by cart, and later it did not come at all.",
)


def phrase(r: Random) -> str:
    """``"Waxed lantern"``."""
    return f"{r.choice(QUALITIES)} {r.choice(THINGS)}".capitalize()


def title(r: Random) -> str:
    """A phrase with a place: rarely the same twice."""
    return f"{phrase(r)} from {r.choice(PLACES)}, {r.choice(QUALITIES)} {r.choice(('make', 'pattern', 'series', 'finish'))}"


def sentence(r: Random) -> str:
    return r.choice(SENTENCES).format(
        a=r.choice(QUALITIES),
        t=r.choice(THINGS),
        p=r.choice(PLACES),
        w=r.choice(PEOPLE),
        n=r.randrange(12, 980),
        y=r.randrange(1790, 1985),
    )


def paragraph(r: Random, sentences: int = 3) -> str:
    return " ".join(sentence(r) for _ in range(sentences))


def price(r: Random) -> str:
    return f"£{r.randrange(4, 1900):,}.{r.choice(('00', '50', '95', '99'))}"


def day(r: Random) -> str:
    months = ("January", "March", "April", "June", "August", "October", "November")
    return f"{r.randrange(1, 29)} {r.choice(months)} {r.randrange(2019, 2027)}"


def hashed(r: Random, length: int = 6) -> str:
    """A class name such as build tools make."""
    return "".join(r.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(length))

"""What is wrong with a picture, told from its text: XML, size, boxes of texts, contrast of colours."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

from attrs import frozen

_SVG = "{http://www.w3.org/2000/svg}"
_NARROW = " !'(),-./:;I[]fijlrt|·"


@frozen
class Box:
    text: str
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def faults(svg: str) -> list[str]:
    """Everything that a picture must not have, in words."""
    found = []
    if len(svg.encode()) > 30_000:
        found.append(f"{len(svg.encode())} bytes")
    if "<!" in svg or not svg.rstrip("\n").endswith("</svg>"):
        found.append("a declaration or an entity of its own, or no end")
    root = ElementTree.fromstring(svg)
    titles = [child.text for child in root if child.tag in (f"{_SVG}title", f"{_SVG}desc")]
    if len(titles) != 2 or not all(titles):
        found.append("no title or no description")
    numbers = [value for node in root.iter() for value in node.attrib.values() if re.fullmatch(r"-?[\d.e+-]+", value)]
    found += [f"{value} is no plain number" for value in numbers if not re.fullmatch(r"\d+(\.\d+)?", value)]
    boxes = texts(svg)
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    for box in boxes:
        if box.left < 4 or box.top < 2 or box.right > width - 4 or box.bottom > height - 2:
            found.append(f"outside: {box}")
    found += [f"{a} over {b}" for a, b in itertools.combinations(boxes, 2) if a.meets(b)]
    for node in root.iter():
        colour = node.attrib.get("fill", "#ffffff") if node.tag == f"{_SVG}text" else "#ffffff"
        if colour != "#ffffff" and contrast(colour) < 4.5:  # white stands on one of the dark fills
            found.append(f"text in {colour}")
    return found


def texts(svg: str) -> list[Box]:
    """The boxes of all texts, in a font about as wide as fonts of screens come."""
    found = []
    for node in ElementTree.fromstring(svg).iter(f"{_SVG}text"):
        size = float(node.attrib.get("font-size", 12))
        bold = "font-weight" in node.attrib
        words = "".join(node.itertext())
        width = sum(map(_em, words)) * size * (1.08 if bold else 1)
        x, y = float(node.attrib["x"]), float(node.attrib["y"])
        left = x - {"start": 0, "middle": width / 2, "end": width}[node.attrib.get("text-anchor", "start")]
        found.append(Box(words, left, y - 0.78 * size, left + width, y + 0.22 * size))
    return found


def contrast(colour: str) -> float:
    """The contrast of a colour on white, as WCAG counts it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def _em(char: str) -> float:
    if char in _NARROW:
        return 0.38
    if char.isascii():
        return 0.9 if char in "MWm%@" else 0.6 if char.islower() or char.isdigit() else 0.75
    return 1.0 if ord(char) > 0x2000 else 0.7

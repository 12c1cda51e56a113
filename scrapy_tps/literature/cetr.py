"""Content extraction via tag ratios (Weninger, Hsu & Han 2010): lines with much text and few tags are content."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple

import numpy as np
from lxml.html import defs

from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.literature.base import PageMethod

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scrapy_tps.engine.sequence.columns import TagPathSequence

    Numbers = NDArray[np.float64]

#: Elements inside a line of text. All others start and end a line.
INLINE: Final = (
    defs.special_inline_tags | defs.phrase_tags | defs.font_style_tags | {"u", "mark", "time", "wbr", "label"}
) - {"iframe", "object", "applet", "map"}
#: Elements without an end tag.
VOID: Final = defs.empty_tags | {"embed", "source", "track", "wbr"}
_ROUNDS: Final = 100


class Lines(NamedTuple):
    """The lines of a page.

    :ivar text: characters of each line, with white space collapsed and stripped.
    :ivar tags: start and end tags of each line.
    :ivar of_node: the line of each node.
    """

    text: list[int]
    tags: list[int]
    of_node: array[int]

    def ratios(self) -> Numbers:
        """Return the tag ratio of each line: characters per tag; a line without tags counts as one with one tag."""
        text = np.array(self.text, dtype=np.float64)
        return text / np.maximum(np.array(self.tags, dtype=np.float64), 1)


def lines(sequence: TagPathSequence) -> Lines:
    """Return the lines of a page, as if every block of the source started and ended a line.

    The paper uses the lines of the source. The columns have no lines, and today's sources are often a single line.
    """
    text, tags = [0], [0]
    of_node = array("i", bytes(4 * len(sequence)))
    opened: list[tuple[int, bool]] = []  # the end of each open element, and whether it is a block

    space = 0  # after the last text of the line

    def new_line() -> None:
        nonlocal space
        text[-1] -= space
        space = 0
        if text[-1] or tags[-1]:
            text.append(0)
            tags.append(0)

    def close(until: int) -> None:
        while opened and opened[-1][0] <= until:
            _, block = opened.pop()
            tags[-1] += 1
            if block:
                new_line()

    symbols, tag_of, end = sequence.symbols, sequence.symbol_tag, sequence.end
    for node, kind in enumerate(sequence.kinds):
        close(node)
        if kind != ELEMENT:
            written = sequence.text_of(node)
            space = written[-1:].isspace()
            text[-1] += len(" ".join(written.split())) + space + (text[-1] > 0 and written[:1].isspace())
        else:
            tag = tag_of[symbols[node]]
            block = tag not in INLINE
            if block:
                new_line()
            tags[-1] += 1
            if tag not in VOID or end[node] > node + 1:
                opened.append((end[node], block))
        of_node[node] = len(text) - 1
    close(len(sequence))
    new_line()
    return Lines(text, tags, of_node)


def smoothed(values: Numbers, radius: int) -> Numbers:
    """Smooth with a Gaussian kernel of this radius."""
    if not radius or not len(values):
        return values
    places = np.arange(-radius, radius + 1)
    kernel = np.exp(-(places**2) / (2 * radius**2))
    padded = np.pad(values, radius, mode="edge")
    return np.convolve(padded, kernel / kernel.sum(), mode="valid")


def jumps(values: Numbers, ahead: int, radius: int) -> Numbers:
    """Return the absolute difference between each value and the mean of those `ahead`, smoothed."""
    padded = np.pad(values, (0, ahead), mode="edge")
    sums = np.concatenate(([0.0], np.cumsum(padded)))
    means = (sums[ahead + 1 :] - sums[1 : len(values) + 1]) / ahead
    return np.abs(smoothed(means - values, radius))


def near_origin(points: Numbers, clusters: int) -> NDArray[np.bool_]:
    """Return which points are in the cluster at the origin: k-means with one centroid fixed there.

    The other centroids start at the farthest point and between it and the origin, so that results are reproducible.
    """
    distance = np.sqrt((points**2).sum(axis=1))
    if not len(points) or not distance.max():
        return np.ones(len(points), dtype=np.bool_)
    farthest = points[distance.argmax()]
    centroids = np.array([farthest * step / (clusters - 1) for step in range(clusters)])
    labels = np.zeros(len(points), dtype=np.intp)
    for _ in range(_ROUNDS):
        nearest = ((points[:, None, :] - centroids[None]) ** 2).sum(axis=2).argmin(axis=1)
        if (nearest == labels).all():
            break
        labels = nearest
        for cluster in range(1, clusters):
            inside = labels == cluster
            if inside.any():
                centroids[cluster] = points[inside].mean(axis=0)
    near: NDArray[np.bool_] = labels == 0
    return near


@dataclass(frozen=True, slots=True)
class Cetr(PageMethod):
    """CETR: smoothed tag ratios of lines; content is everything outside the cluster at the origin.

    :ivar by: ``2d`` (CETR: ratios and their jumps, clustered), ``k-means`` (CETR-KM: ratios alone, clustered) or
        ``threshold`` (CETR-TM).
    :ivar radius: radius of the smoothing kernel: 1, a window of three lines.
    :ivar ahead: number of following lines that a ratio is compared with for its jump: 3.
    :ivar clusters: 3.
    :ivar coefficient: CETR-TM keeps ratios of at least so many standard deviations.
    """

    by: Literal["2d", "k-means", "threshold"] = "2d"
    radius: int = 1
    ahead: int = 3
    clusters: int = 3
    coefficient: float = 1.0
    name: ClassVar[str] = "cetr"
    reason: ClassVar[str] = "a line with many tags for its text"

    def gone(self, sequence: TagPathSequence) -> list[bool]:
        found = lines(sequence)
        content = self.content(found.ratios())
        return [not content[line] for line in found.of_node]

    def content(self, ratios: Numbers) -> NDArray[np.bool_]:
        """Return which lines are content, given their tag ratios."""
        smooth = smoothed(ratios, self.radius)
        if self.by == "threshold":
            content: NDArray[np.bool_] = smooth >= self.coefficient * smooth.std()
            return content
        columns = [smooth]
        if self.by == "2d":
            columns.append(jumps(smooth, self.ahead, self.radius))
        return ~near_origin(np.stack(columns, axis=1), self.clusters)

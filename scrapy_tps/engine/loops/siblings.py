"""Comparison of parts with cues to their siblings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_tps.engine.loops import columns
    from scrapy_tps.engine.strategies.auto.thresholds import LikeSiblings, Misnamed, Revealed


def like_siblings(
    page: columns.Columns, marks: int, hidden: int, limits: LikeSiblings
) -> list[tuple[int, int, int, int, int]]:
    """Return (part, cues to remove, siblings of its tag path, a similar one, another one).

    The siblings are counted with the part itself; one that is not similar is -1.
    """
    parent, end, tags, cues, cued = page.parent, page.end, page.tags, page.cues, page.cued
    texts = page.text_before
    most_nodes, least_tags = limits.most_nodes, limits.least_tags
    similar, similar_hidden = limits.similar, limits.similar_hidden
    wanted = marks | hidden
    done = bytearray(page.size)
    # for the children with one tag path: their number, the number of those without cues, and the first two of these
    room = page.arrays.numbers(4 * page.tag_count)
    runs = room.values
    found: list[tuple[int, int, int, int, int]] = []
    for number in range(page.cued_count):
        child = cued[number]
        if not cues[child] & wanted:
            continue
        above = parent[child]
        if above < 0 or done[above]:
            continue
        done[above] = 1
        stop = end[above]
        child = above + 1
        while child < stop:
            run = 4 * tags[child]
            after = end[child]
            runs[run] += 1
            if not cues[child] & wanted and texts[after] > texts[child]:
                if runs[run + 1] < 2:
                    runs[run + 2 + runs[run + 1]] = child
                runs[run + 1] += 1
            child = after
        child = above + 1
        while child < stop:
            cue = cues[child] & wanted
            run = 4 * tags[child]
            unmarked = runs[run + 1]
            if cue and unmarked:
                for going in (marks, hidden):
                    if not cue & going or (going == marks and 2 * unmarked < runs[run]):
                        continue
                    share = similar if going == marks else similar_hidden
                    one = other = -1
                    if page.are_similar(child, runs[run + 2], most_nodes, least_tags, share):
                        one = runs[run + 2]
                    if unmarked > 1 and page.are_similar(child, runs[run + 3], most_nodes, least_tags, share):
                        other = runs[run + 3]
                    if one >= 0 or other >= 0:
                        found.append((child, going, runs[run], one, other))
            child = end[child]
        child = above + 1
        while child < stop:
            run = 4 * tags[child]
            runs[run] = runs[run + 1] = 0
            child = end[child]
    return found


def hidden_parts(
    page: columns.Columns, hidden: int, covering: int, heading: int, limits: Revealed
) -> list[tuple[int, int]]:
    """Return (index, kind) of hidden parts: 1 if placed like an answer, 2 like a field, or 0; other small parts are
    omitted.

    An answer has prose; or it has links, and comes after this heading and below a title that is not a link. Small
    answers and fields count only if so many answers and fields have their tag path.
    """
    parent, end, tags, cues, cued = page.parent, page.end, page.tags, page.cues, page.cued
    texts, proses = page.text_before, page.prose_before
    least_nodes, few_texts, least = limits.least_nodes, limits.few_texts, limits.least
    room = page.arrays.numbers(page.tag_count)
    times = room.values
    found: list[tuple[int, int]] = []
    covered = 0
    for number in range(page.cued_count):
        index = cued[number]
        cue = cues[index]
        if index < covered or not cue & covering:
            continue
        covered = end[index]
        if cue & covering != hidden or texts[covered] == texts[index]:
            continue
        above = parent[index]
        if above < 0:
            continue
        begins = texts[index] == texts[above]
        closes = texts[covered] == texts[end[above]]
        kind = 0
        if (
            closes
            and not begins
            and (proses[covered] > proses[index] or (index > heading and _is_opened(page, index, covered)))
        ):
            kind = 1
        elif (
            covered - index < least_nodes
            and not (begins and closes)
            and _is_plain(page, index, covered, few_texts)
        ):
            kind = 2
        if kind:
            times[tags[index]] += 1
        if kind or covered - index >= least_nodes:
            found.append((index, kind))
    return [
        (index, kind)
        for index, kind in found
        if end[index] - index >= least_nodes or times[tags[index]] >= least
    ]


def _is_opened(page: columns.Columns, start: int, stop: int) -> bool:
    """Whether a part has links, and the last text before it (which exists) is near and not in a link."""
    in_link, is_text = page.in_link, page.is_text
    links = 0
    for index in range(start, stop):
        links += in_link[index]
    if not links:
        return False
    title = start - 1
    while not is_text[title]:
        title -= 1
        # a title with a picture or a button has few nodes; many parts without text would be read again for each
        if start - title > 50:
            return False
    return not in_link[title]


def _is_plain(page: columns.Columns, start: int, stop: int, few_texts: int) -> bool:
    """Whether a part has few texts and no links."""
    in_link, is_text = page.in_link, page.is_text
    count = 0
    for index in range(start, stop):
        if in_link[index]:
            return False
        count += is_text[index]
    return count <= few_texts


def small_texts(page: columns.Columns, wanted: int, controls: int, most_nodes: int) -> list[int]:
    """Return the parts below the body with this cue, at most so many nodes and text, but no links or controls in
    them."""
    end, cues, cued, texts, in_link = page.end, page.cues, page.cued, page.text_before, page.in_link
    found: list[int] = []
    for number in range(page.cued_count):
        index = cued[number]
        stop = end[index]
        if index and cues[index] & wanted and stop - index <= most_nodes and texts[stop] > texts[index]:
            node = index + 1
            while node < stop and not cues[node] & controls and in_link[node] == in_link[index]:
                node += 1
            if node == stop:
                found.append(index)
    return found


def own_edges(
    page: columns.Columns,
    edges: list[int],
    places: tuple[int, int],
    outline: list[int],
    tags: tuple[bytearray, ...],
    limits: Misnamed,
) -> set[int]:
    """Return those of these parts that follow text, or are next to text below a heading, or close the part of the first
    heading, with the site's footer behind it, or are in one of several rows or entries of a list that is not the page.

    :param places: the first heading and the last part called a footer, or -1.
    :param outline: the parts that a site has next to its footer.
    :param tags: a byte for each symbol, 1 for elements of text, for entries with cells, and for cells.
    """
    text_of, entry_of, cell_of = tags
    heading, last = places
    parent, end, kinds, symbols, texts = page.parent, page.end, page.tags, page.symbols, page.text_before
    most, levels, least = limits.outline * texts[page.size], limits.levels, limits.records
    found: set[int] = set()
    beside: dict[int, bool] = {}  # by part around
    in_rows: dict[int, bool] = {}  # by list and tag path
    for node in edges:
        above = parent[node]
        if above > 0 and (node != above + 1 or above > heading >= 0):
            if above not in beside:
                beside[above] = is_beside_text(page, node, outline, text_of, limits) or (
                    above < heading < end[above] <= last and not page.any_in(outline, above + 1, end[above])
                )
            if beside[above]:
                found.add(node)
                continue
        row, level = node, 0
        while row > 0 and level < levels and not entry_of[symbols[row]]:
            row = parent[row]
            level += 1
        if row <= 0 or not entry_of[symbols[row]]:
            continue
        if cell_of[symbols[row]]:
            row = parent[row]
        above = parent[row]
        if above <= 0:
            continue
        key = above * page.tag_count + kinds[row]
        if key not in in_rows:
            count, child = 0, above + 1
            while child < end[above]:
                count += kinds[child] == kinds[row]
                child = end[child]
            in_rows[key] = count >= least and texts[end[above]] - texts[above] <= most
        if in_rows[key]:
            found.add(node)
    return found


def is_beside_text(
    page: columns.Columns, node: int, outline: list[int], text_of: bytearray, limits: Misnamed
) -> bool:
    """Whether a part is next to paragraphs or records, in a part of the page that has none of the site's parts and is
    not the whole page, which has."""
    end, symbols, texts, above = page.end, page.symbols, page.text_before, page.parent[node]
    if (
        above <= 0
        or (not outline and texts[end[above]] - texts[above] > limits.outline * texts[page.size])
        or page.any_in(outline, above + 1, end[above])
    ):
        return False
    text, child = 0.0, above + 1
    while child < end[above]:
        if text_of[symbols[child]]:
            text += texts[end[child]] - texts[child]
        child = end[child]
    return text >= limits.beside

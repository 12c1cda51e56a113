"""What package indexes show of the README: they know no files beside it."""

from __future__ import annotations

import re


def description(readme: str, address: str = "") -> str:
    """Return the README with links that need no file beside it.

    :param address: where the project's files can be looked at, with a slash at its end; without one, links to files
        become their text and pictures go.
    """
    if address:
        return re.sub(r"(?<=\]\()(?![a-z]+:|#)", address, readme)
    words = re.sub(r"!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n*", "", readme)
    words = re.sub(r"\[([^\]]*)\]\((?![a-z]+:|#)[^)]*\)", r"\1", words)
    return (
        f"{words}\nAll pages of the documentation are in the source archive of each release, below `docs`.\n"
    )

"""Make the description for package indexes from the README, without links to files of the repository."""

from __future__ import annotations

import re


def description(readme: str, address: str = "") -> str:
    """Return the README with links that need no other file.

    :param address: base URL of the project's files, with a slash at its end; without one, links to files become plain
        text and pictures are removed.
    """
    if address:
        return re.sub(r"(?<=\]\()(?![a-z]+:|#)", address, readme)
    words = re.sub(r"!\[[^\]]*\]\((?![a-z]+:)[^)]*\)\n*", "", readme)
    words = re.sub(r"\[([^\]]*)\]\((?![a-z]+:|#)[^)]*\)", r"\1", words)
    return (
        f"{words}\nAll pages of the documentation are in the source archive of each release, below `docs`.\n"
    )

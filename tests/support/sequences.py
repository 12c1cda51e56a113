"""Sequences of symbols for the region search: random ones as pages have them, and hostile ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random


def random_sequence(random: random.Random, longest: int = 60) -> list[int]:
    """Return a sequence of blocks of repeated records, with strays, as pages have them; or pure noise."""
    symbols: list[int] = []
    length = random.randrange(longest + 1)
    if random.random() < 0.3:
        alphabet = random.randint(1, max(1, length))
        return [random.randrange(alphabet) for _ in range(length)]
    base = 0
    while len(symbols) < length:
        record = [base + random.randrange(6) for _ in range(random.randint(1, 6))]
        for _ in range(random.randint(1, 8)):
            symbols.extend(symbol for symbol in record if random.random() < 0.9)
            if random.random() < 0.1:
                symbols.append(random.randrange(base + 8))
        base += random.choice((0, 3, 6, 6, 6))
    return symbols[:length]


def hostile_sequences(length: int) -> dict[str, list[int]]:
    """Return inputs that make a careless search quadratic, by name, each of about `length` symbols."""
    half = length // 2
    staircase: list[int] = []  # symbol k occurs k times: as many thresholds as can be
    symbol = 1
    while len(staircase) < length:
        staircase.extend([symbol] * symbol)
        symbol += 1
    mixed: list[int] = []
    for symbol, times in enumerate(range(1, int((2 * length) ** 0.5))):
        mixed[len(mixed) // 2 : len(mixed) // 2] = [symbol] * times
    return {
        "all distinct": list(range(length)),
        "one symbol": [0] * length,
        "pairs": [index // 2 for index in range(length)],
        "triples": [index // 3 for index in range(length)],
        "nested pairs": [*range(half), *reversed(range(half))],
        # 0 1 0 2 1 3 2 4 3 …: every pair overlaps the next
        "chain of pairs": [number for index in range(half) for number in (index, max(0, index - 1))],
        "pairs before distinct": [*(index // 2 for index in range(half)), *range(half, length)],
        "pairs of pairs": [index // 4 * 2 + index % 2 for index in range(length)],
        "two alternating": [index % 2 for index in range(length)],
        "staircase": staircase[:length],
        "staircase, falling": staircase[:length][::-1],
        "staircase, nested": mixed,
        "repeated alphabet": [index % 1000 for index in range(length)],
    }

"""The methods of the literature beside ours, on the same pages.

``pages`` reads the sets, ``runs`` judges them and remembers what was measured, ``tables`` makes tables of that,
``evaluations`` and ``retrieval`` are the papers' own evaluations, ``bounds`` says how work grows with the page.
"""

"""Compare methods from the literature with ours, on the same pages.

``pages`` reads the sets, ``runs`` judges them and stores the measurements, ``tables`` makes tables of these,
``evaluations`` and ``retrieval`` are the papers' own evaluations, ``growth`` measures how work grows with the page.
"""

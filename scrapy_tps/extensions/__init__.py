"""Extensions: what happens beside a crawl."""

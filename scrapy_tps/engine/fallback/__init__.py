"""What the spider asks for stays: queries on a pruned page that the page as downloaded answers."""

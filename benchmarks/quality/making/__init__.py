"""How the generated pages of the quality gate are made: contents, and the sites around them."""

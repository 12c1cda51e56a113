"""What a page's markup says about its parts."""

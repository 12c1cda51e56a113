"""What people look at: tables, HTML files, pictures."""

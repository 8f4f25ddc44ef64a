"""Where do rows live? The only package that contains SQL."""

"""What others say of pages (notices, sitemaps, feeds, lists), joined to the store: claims become visits and trust."""

"""One server asked for one page after another: may it be asked now, the request, and the visit that it makes."""

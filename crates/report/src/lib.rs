//! The only renderer: Response to text, Markdown, CSV, JSON and workbook.

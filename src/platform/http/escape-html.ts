const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML, including attribute values. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => named[letter]!)

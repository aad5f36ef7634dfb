/** Reads this browser's storage; null if the browser forbids it. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Writes to this browser's storage, if the browser allows it. */
export function store(key: string, value: string) {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Private windows may forbid it; the page works without.
  }
}

/** Reads an object that was stored as JSON; anything else counts as an empty one. */
export function storedRecord(key: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stored(key) ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

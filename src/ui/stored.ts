/** Reads this browser's storage; a browser that forbids it has nothing stored. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Remembers in this browser, where it may. */
export function store(key: string, value: string) {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Private windows may refuse; the page works on without a memory.
  }
}

/** Reads JSON that {@link store} wrote; anything else is nothing. */
export function storedRecord(key: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stored(key) ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

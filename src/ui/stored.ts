/** Where something is kept: for this browser, or for this tab alone. */
type Keeper = 'localStorage' | 'sessionStorage'

/** Reads this browser's storage; null if the browser forbids it. */
export function stored(key: string, keeper: Keeper = 'localStorage'): string | null {
  try {
    return window[keeper].getItem(key)
  } catch {
    return null
  }
}

/** Writes to this browser's storage, or clears it with null; false if the browser forbids it, as private windows may. */
export function store(key: string, value: string | null, keeper: Keeper = 'localStorage'): boolean {
  try {
    if (value === null) window[keeper].removeItem(key)
    else window[keeper].setItem(key, value)
    return true
  } catch {
    return false
  }
}

/** Reads an object that was stored as JSON; anything else counts as an empty one. */
export function storedRecord(key: string, keeper?: Keeper): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stored(key, keeper) ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

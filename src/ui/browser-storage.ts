/** The storage to use: the browser's, or this tab's alone. */
type Keeper = 'localStorage' | 'sessionStorage'

/** Reads from storage. Returns null if the key is missing or the browser forbids access. */
export function readStorage(key: string, keeper: Keeper = 'localStorage'): string | null {
  try {
    return window[keeper].getItem(key)
  } catch {
    return null
  }
}

/** Writes to storage; null removes the key. Returns false if the browser forbids it, as private windows may. */
export function writeStorage(key: string, value: string | null, keeper: Keeper = 'localStorage'): boolean {
  try {
    if (value === null) window[keeper].removeItem(key)
    else window[keeper].setItem(key, value)
    return true
  } catch {
    return false
  }
}

/** Reads an object stored as JSON. Returns an empty object for anything else. */
export function readStorageRecord(key: string, keeper?: Keeper): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readStorage(key, keeper) ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

import { hash } from 'node:crypto'

/** The first 128 bits of a digest: an index of these stays small, and no two texts have the same. */
export const shortKey = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

import { hash } from 'node:crypto'

/** The first 128 bits of a digest: unique, and small in an index. */
export const shortKey = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

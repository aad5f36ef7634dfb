/** 128 MiB and about a quarter of a second each: OWASP's setting. */
export const cost = { log2N: 17, r: 8, p: 1 } as const

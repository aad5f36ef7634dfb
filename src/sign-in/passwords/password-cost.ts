/** OWASP's setting: 128 MiB and about a quarter of a second per hash. In a file of its own, so that tests can change it. */
export const cost = { log2N: 17, r: 8, p: 1 }

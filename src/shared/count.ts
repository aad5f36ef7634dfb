const english = new Intl.NumberFormat('en')

/** `1,234`. All share one formatter: making one takes longer than a hundred counts. */
export const formatCount = (count: number): string => english.format(count)

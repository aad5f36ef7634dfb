/** A whole number as `1,234`, as `Intl` writes it: to load that takes a browser 10 ms, and a server memory. */
export const formatCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

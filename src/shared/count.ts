/** A whole number as `1,234`. By hand, since a server uses Intl for nothing else until there is need. */
export const formatCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

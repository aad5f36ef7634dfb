/** The first match counts, because most browsers also name the browsers that they derive from. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|OPiOS|OPT)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (Mobile\/\w+ )?Safari\//, 'Safari'],
]
const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]
const pocket = new Set(['iPhone', 'iPad', 'Android'])

type Device = { name: string; kind: 'computer' | 'pocket' | 'program' }

/** The device that sent this user agent, named like `Firefox on Linux`, or by the first word for a program. */
export function deviceOf(userAgent: string | null): Device {
  const text = userAgent?.trim() ?? ''
  const first = (from: typeof browsers) => from.find(([pattern]) => pattern.test(text))?.[1]
  const [browser, system] = [first(browsers), first(systems)]
  if (!browser && !system) return { name: /^[^\s/(]{1,40}/.exec(text)?.[0] ?? 'Unknown device', kind: 'program' }
  const name = [browser ?? 'A browser', system].filter(Boolean).join(' on ')
  return { name, kind: system && pocket.has(system) ? 'pocket' : 'computer' }
}

// Applies the theme chosen in the app, before the first paint and when the system's theme changes. Served unchanged.
const system = matchMedia('(prefers-color-scheme: dark)')
const paint = () => {
  let stored = 'system'
  try {
    stored = localStorage.getItem('theme') || stored
  } catch {}
  const dark = stored === 'dark' || (stored === 'system' && system.matches)
  document.documentElement.classList.toggle('dark', dark)
}
paint()
system.addEventListener('change', paint)

// Before anything is drawn, and whenever the system changes: the theme that was chosen in the app. Served as it stands.
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

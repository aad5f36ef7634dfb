import { api } from '../data/api.ts'

const arriving = new Map<string, Promise<void>>()

const isHere = (href: string) =>
  document.querySelector(`script[src="${href}"], link[rel=stylesheet][href="${href}"]`) !== null

async function fetchFile(href: string) {
  await api.get(href)
  if (href.endsWith('.css')) await addStyles(href)
}

function addStyles(href: string): Promise<void> {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href, crossOrigin: '' })
  return new Promise((resolve, reject) => {
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => {
      link.remove()
      reject(new Error(`No styles at ${href}`))
    })
    document.head.append(link)
  })
}

function arrivalOf(href: string): Promise<void> {
  const pending = arriving.get(href)
  if (pending) return pending
  const arrival = isHere(href) ? Promise.resolve() : fetchFile(href)
  arriving.set(href, arrival)
  arrival.catch(() => arriving.delete(href))
  return arrival
}

/** Replaces Vite's helper. Fetches files first: browsers don't retry a failed import until the page is reloaded. */
export async function __vitePreload<Part>(load: () => Promise<Part>, files: readonly string[] = []): Promise<Part> {
  await Promise.all(files.map((file) => arrivalOf(`/${file}`)))
  return load()
}

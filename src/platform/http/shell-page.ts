import packageJson from '../../../package.json' with { type: 'json' }
import { glyphs } from '../../shared/status-glyphs.ts'

const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML, including attribute values. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => named[letter]!)

export const logo = `<svg width="28" height="28" viewBox="0 0 32 32" fill="none" aria-hidden="true">
<path d="M11.4 10.6V8.2a3 3 0 0 1 3-3h3.2a3 3 0 0 1 3 3v2.4" stroke="currentColor" stroke-width="2.3" stroke-linecap="round"/>
<rect x="4" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor"/>
<rect x="16.7" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor"/>
<rect x="4" y="19" width="24" height="8.6" rx="2.3" fill="var(--signal)"/>
<rect x="14" y="22.1" width="4" height="2.2" rx="1.1" fill="var(--on-signal)"/></svg>`

const failing = `<svg width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true"><path fill-rule="evenodd" d="${glyphs.failing}"/></svg>`

export const fontPath = '/api/docs/fonts/hanken-grotesk-basic.woff2'

/** A page that works without the app, in its look. `style` is the address of the page's additional styles. */
export const shellPage = (page: {
  title: string
  style: string
  head?: string
  main: string
}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>ToolBox - ${escapeHtml(page.title)}</title>
<link rel="icon" href="data:,">
<link rel="preload" href="${fontPath}" as="font" type="font/woff2" crossorigin>
<script src="/api/docs/theme.js"></script>
<script type="module" src="/api/docs/header.js"></script>
<link rel="stylesheet" href="/api/docs/app.css">
<link rel="stylesheet" href="${page.style}">
${page.head ?? ''}</head>
<body>
<header class="top-bar"><div><a href="/">${logo}Tool Box</a><a class="failing" href="/" hidden>${failing}<b></b></a></div></header>
<main>${page.main}</main>
<footer><span>Version ${packageJson.version}</span><a href="/docs">Documentation</a><a href="/api/docs">API</a><a href="/license">${packageJson.license} License</a></footer>
</body>
</html>`

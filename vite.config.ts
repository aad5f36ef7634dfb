import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compression } from 'vite-plugin-compression2'
import packageJson from './package.json' with { type: 'json' }

/** This folder as Vite writes paths, on Windows too. */
const here = import.meta.dirname.replaceAll('\\', '/')
/** A pattern of paths, which Windows may write with backslashes. */
const path = ({ source }: RegExp) => new RegExp(source.replaceAll('\\/', '[\\\\/]'))

/** Makes `src/ui/navigation/preload-helper.ts` fetch parts of the page; the reason is given there. */
const fetchedParts: Plugin = {
  name: 'fetched-parts',
  enforce: 'pre',
  apply: 'build',
  resolveId: (id) => (id === '\0vite/preload-helper.js' ? `${here}/src/ui/navigation/preload-helper.ts` : null),
}

/** As `Logo` draws it. */
const logo = [
  '<path d="M11.4 10.6V8.2a3 3 0 0 1 3-3h3.2a3 3 0 0 1 3 3v2.4" stroke="currentColor" stroke-width="2.3" stroke-linecap="round"/>',
  '<rect x="4" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor"/>',
  '<rect x="16.7" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor"/>',
  '<rect x="4" y="19" width="24" height="8.6" rx="2.3" fill="var(--signal)"/>',
  '<rect x="14" y="22.1" width="4" height="2.2" rx="1.1" fill="var(--on-signal)"/>',
].join('')

/** What stands in the HTML of every page. */
const inHtml: Plugin = {
  name: 'in-html',
  transformIndexHtml: (html) => html.replace('%VERSION%', packageJson.version).replaceAll('%LOGO%', logo),
}

/** Adds a `.br` and a `.gz` beside every text file if they are smaller; the server sends those. */
const compressed = compression({
  algorithms: ['brotliCompress', 'gzip'],
  include: /\.(?:html|js|css|svg|json|txt|webmanifest|map)$/,
  threshold: 0,
  skipIfLargerOrEqual: true,
  logLevel: 'silent',
})

/** In the browser a tool consists of its pages, which the first screen needs at once, without the server's half. */
const toolPages: Plugin = {
  name: 'tool-pages',
  enforce: 'pre',
  transform: {
    filter: { id: path(/\/tools\/[^/]+\/tool\.ts$/) },
    handler: (code) => {
      const pages = /import\('(\.\/pages\/[^']+)'[^)]*\)/
      return `import * as firstPages from '${pages.exec(code)?.[1]}'\n${code
        .replace(pages, 'Promise.resolve(firstPages)')
        .replace(/import\('\.\/server\.ts'[^)]*\)/, 'Promise.reject()')}`
    },
  },
}

/**
 * Lucide's icons without what only Lucide's own component needs, which reads options and a context that nobody here sets
 * for each icon of a list anew.
 */
const plainIcons: Plugin = {
  name: 'plain-icons',
  transform: {
    filter: { id: path(/\/lucide-react\/dist\/esm\/icons\//) },
    handler: (code) =>
      code
        .replace('../createLucideIcon.mjs', `${here}/src/ui/components/icon.ts`)
        .replaceAll(/,\s*key: "\w+"/g, '')
        .replaceAll(/^ {2}(?:name|size|aliases): .*$/gm, ''),
  },
}

/** What a popup consists of is fetched with it. */
const small = path(
  /src\/shared\/(?:title|count|status-glyphs|urls\/reach)|src\/ui\/(?!components\/(?:menu|modal|toast)|form\/(?!field\.)|import|pages|shell|table)|people\/pages\/auth|src\/sign-in\/pages\/(?:(?!new-password|passkey-sign-in|provider-links)[^/]*$|second-factor\/calls)|@tanstack\/(?:query-core|react-query)\/|\/lucide-react\//,
)

/**
 * What screens share, in few files, so that a first screen takes few requests: everything that each of them needs; what
 * popups are made of; schemas, which check a form once it is filled in; small parts and the sign-in box; what lists and
 * forms are made of; and what the screens of accounts share. A screen has its own file.
 */
const shared = [
  { name: 'first', tags: ['$initial' as const], priority: 6 },
  {
    name: 'popups',
    test: path(
      /node_modules\/(?:@base-ui\/(?!.*\/(?:combobox|autocomplete)\/)|@floating-ui|use-sync)|components\/modal\/modal\./,
    ),
    minShareCount: 4,
    priority: 5,
  },
  {
    name: 'schemas',
    test: path(
      /node_modules\/zod\/|(?<!(?:badges|list)\/)contract\.ts$|shared\/(?:schemas\/[\w-]+|urls\/(?:discord-webhook|web-url)|quiet|zone)\.ts$/,
    ),
    priority: 4,
  },
  { name: 'parts', test: small, minShareCount: 2, priority: 3 },
  {
    name: 'records',
    test: path(/src\/(?:ui\/(?:form\/(?!select|quiet-fields|.*-modal)|table)|entries\/(?:list|pages))|useBlocker/),
    minShareCount: 2,
    priority: 2,
  },
  {
    name: 'accounts',
    test: path(/src\/(?:people|notices|sign-in|admission|profile|admin)\/pages\/(?!user-form)/),
    minShareCount: 2,
    priority: 1,
  },
]

export default defineConfig({
  plugins: [react(), fetchedParts, toolPages, plainIcons, inHtml, compressed],
  resolve: {
    alias: [
      // React has this hook itself, so its shim for older versions stays out of the first screen.
      { find: 'use-sync-external-store/shim/with-selector', replacement: 'use-sync-external-store/with-selector' },
    ],
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    modulePreload: {
      polyfill: false,
      // Vite itself leaves out a file without dependencies.
      resolveDependencies: (file, files, { hostType }) => (hostType === 'js' ? [...new Set([file, ...files])] : files),
    },
    // The content security policy allows no data: fonts and styles, so nothing is inlined.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Nothing reads a property only for what its getter does.
      treeshake: { propertyReadSideEffects: false },
      optimization: { inlineConst: { mode: 'all', pass: 3 } },
      output: { codeSplitting: { groups: shared, includeDependenciesRecursively: false } },
    },
  },
})

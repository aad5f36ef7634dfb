import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compression } from 'vite-plugin-compression2'
import packageJson from './package.json' with { type: 'json' }

/** This folder as Vite writes paths, on Windows too. */
const here = import.meta.dirname.replaceAll('\\', '/')
/** A pattern of paths, which Windows may write with backslashes. */
const path = ({ source }: RegExp) => new RegExp(source.replaceAll('\\/', '[\\\\/]'))

/** Replaces Vite's preload helper with `src/ui/navigation/preload-helper.ts`; the reason is given there. */
const fetchedParts: Plugin = {
  name: 'fetched-parts',
  enforce: 'pre',
  apply: 'build',
  resolveId: (id) => (id === '\0vite/preload-helper.js' ? `${here}/src/ui/navigation/preload-helper.ts` : null),
}

/** The same shapes as the `Logo` component. */
const logo = [
  '<path d="M11.4 10.6V8.2a3 3 0 0 1 3-3h3.2a3 3 0 0 1 3 3v2.4" stroke="currentColor" stroke-width="2.3" stroke-linecap="round"/>',
  '<rect x="4" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor"/>',
  '<rect x="16.7" y="11.4" width="11.3" height="6.2" rx="1.8" fill="currentColor"/>',
  '<rect x="4" y="19" width="24" height="8.6" rx="2.3" fill="var(--signal)"/>',
  '<rect x="14" y="22.1" width="4" height="2.2" rx="1.1" fill="var(--on-signal)"/>',
].join('')

/** Fills the placeholders of index.html. */
const inHtml: Plugin = {
  name: 'in-html',
  transformIndexHtml: (html) => html.replace('%VERSION%', packageJson.version).replaceAll('%LOGO%', logo),
}

/** Adds a `.br` and a `.gz` next to every text file where they are smaller; the server sends those. */
const compressed = compression({
  algorithms: ['brotliCompress', 'gzip'],
  include: /\.(?:html|js|css|svg|json|txt|webmanifest|map)$/,
  threshold: 0,
  skipIfLargerOrEqual: true,
  logLevel: 'silent',
})

/** In the browser build, bundles each tool's pages with the first screen and drops its server half. */
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
 * Renders Lucide's icons with our own component: Lucide's reads options and a context for every icon, which this app
 * never sets. Also strips the data that only Lucide's component needs.
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

/** Small modules that screens share. Excludes the parts of popups, which are fetched with the popup. */
const small = path(
  /src\/shared\/(?:title|count|status-glyphs|urls\/reach)|src\/ui\/(?!components\/(?:menu|modal|toast)|form\/(?!field\.)|import|pages|shell|table)|people\/pages\/auth|src\/sign-in\/pages\/(?:(?!new-password|passkey-sign-in|provider-links)[^/]*$|second-factor\/calls)|@tanstack\/(?:query-core|react-query)\/|\/lucide-react\//,
)

/**
 * Bundles the code that screens share into few files, so that a first screen takes few requests: code every screen
 * needs; popups; schemas, needed once a form is filled in; small parts and the sign-in box; lists and forms; and the
 * account screens. Each screen also has a file of its own.
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
    test: path(/src\/(?:(?:people|notices|sign-in|admission|profile|admin)\/pages\/(?!user-form)|.*\/dialog-button)/),
    minShareCount: 2,
    priority: 1,
  },
]

export default defineConfig({
  plugins: [react(), fetchedParts, toolPages, plainIcons, inHtml, compressed],
  resolve: {
    alias: [
      // React has this hook built in, so the first screen doesn't load the shim for older versions.
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
      // By default Vite doesn't list a file that has no dependencies.
      resolveDependencies: (file, files, { hostType }) => (hostType === 'js' ? [...new Set([file, ...files])] : files),
    },
    // The content security policy forbids data: URLs for fonts and styles, so nothing is inlined.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // No code reads a property only for its getter's side effects.
      treeshake: { propertyReadSideEffects: false },
      optimization: { inlineConst: { mode: 'all', pass: 3 } },
      output: { codeSplitting: { groups: shared, includeDependenciesRecursively: false } },
    },
  },
})

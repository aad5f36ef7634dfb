import { type AnyRoute, createRoute } from '@tanstack/react-router'
import type { HomeTool } from './entries/pages/health/at-home.tsx'
import { entryRoutes } from './entries/pages/routes.tsx'
import type { EntryPages, OnePage } from './entries/pages/tool-pages.ts'
import type { tools } from './tools/index.ts'
import { requireSession } from './ui/navigation/guard.ts'
import { lazyPart } from './ui/navigation/lazy.ts'
import { lazyScreen } from './ui/navigation/screen.ts'
import type { ToolCard } from './ui/pages/home.tsx'

export const fetchDashboard = async () => (await import('./entries/pages/health/at-home.tsx')).Dashboard
export const Dashboard = lazyPart(fetchDashboard)
export const ToolState = lazyPart(async () => (await import('./entries/pages/health/at-home.tsx')).ToolState)

const OnStatusPage = lazyPart(async () => (await import('./status/pages/on-entry.tsx')).OnStatusPage)

export type MountedTool = HomeTool & {
  card: ToolCard & { hint: string }
  routes(root: AnyRoute): AnyRoute[]
}

export async function mountTool(tool: (typeof tools)[number]): Promise<MountedTool> {
  const to = `/tools/${tool.id}`
  if (tool.kind === 'page') {
    const { pages }: { pages: OnePage } = await tool.pages()
    const Figure = lazyPart(pages.counter)
    const own = Object.entries(tool.own)[0]
    return {
      card: { ...pages, label: tool.label, to },
      ...(own && { ways: { list: `${to}/${own[0]}`, listLabel: own[1] } }),
      figure: <Figure />,
      routes: (root) => [
        createRoute({ getParentRoute: () => root, path: to, ...lazyScreen(pages.page) }),
        ...Object.entries(pages.own).map(([path, page]) =>
          createRoute({ getParentRoute: () => root, path: `${to}/${path}`, ...lazyScreen(page, requireSession) }),
        ),
      ],
    }
  }
  const { pages }: { pages: EntryPages } = await tool.pages()
  const Soon = pages.soon && lazyPart(pages.soon)
  return {
    card: { ...pages, label: tool.label, to },
    ways: { list: `${to}/viewlist`, create: `${to}/create` },
    names: tool,
    soon: Soon && <Soon key={tool.id} />,
    routes: (root) => entryRoutes(root, { id: tool.id, OnStatusPage, ...pages }),
  }
}

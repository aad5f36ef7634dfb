import { type AnyRoute, createRoute } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { entryRoutes } from './entries/pages/routes.tsx'
import type { EntryPages, OnePage } from './entries/pages/tool-pages.ts'
import type { tools } from './tools/index.ts'
import type { Ways } from './ui/components/menu/menu.ts'
import { needsSession } from './ui/navigation/guard.ts'
import { lazyPart } from './ui/navigation/lazy.ts'
import { fetchedScreen } from './ui/navigation/screen.ts'
import type { ToolCard } from './ui/pages/home.tsx'

export const AtHome = lazyPart(async () => (await import('./entries/pages/health/at-home.tsx')).AtHome)
const EntryFigure = lazyPart(async () => (await import('./entries/pages/health/figures.tsx')).EntryFigure)
const EntryTrouble = lazyPart(async () => (await import('./entries/pages/health/figures.tsx')).EntryTrouble)

const ToolWays = lazyPart(async () => (await import('./ui/pages/tool-ways.tsx')).ToolWays)

/** What the menu and Home show of a tool, and its screens. */
export type MountedTool = {
  card: ToolCard & { hint: string }
  /** The figure on its card. */
  figure: ReactNode
  /** What is wrong with its entries, on its card too. */
  trouble?: ReactNode
  /** Where else it leads, and the links there on its card, for users who may use it. */
  ways?: Ways
  beside?: ReactNode
  /** The tool itself, if Home shows its runs. */
  withRuns: ComponentProps<typeof AtHome>['tools']
  /** What Home says of its entries, above the recent runs. */
  atHome?: ReactNode
  routes(root: AnyRoute): AnyRoute[]
}

export async function mountTool(tool: (typeof tools)[number]): Promise<MountedTool> {
  const to = `/tools/${tool.id}`
  if (tool.kind === 'page') {
    const { pages }: { pages: OnePage } = await tool.pages()
    const Figure = lazyPart(pages.counter)
    return {
      card: { ...pages, label: tool.label, to },
      figure: <Figure />,
      withRuns: [],
      routes: (root) => [
        createRoute({ getParentRoute: () => root, path: to, ...fetchedScreen(pages.page) }),
        ...Object.entries(pages.own).map(([path, page]) =>
          createRoute({ getParentRoute: () => root, path: `${to}/${path}`, ...fetchedScreen(page, needsSession) }),
        ),
      ],
    }
  }
  const { pages }: { pages: EntryPages } = await tool.pages()
  const ItsHome = pages.atHome && lazyPart(pages.atHome)
  const ways = { list: `${to}/viewlist`, create: `${to}/create` }
  return {
    card: { ...pages, label: tool.label, to },
    figure: <EntryFigure tool={tool} />,
    trouble: <EntryTrouble tool={tool} />,
    ways,
    beside: <ToolWays ways={ways} label={tool.label} />,
    withRuns: [tool],
    atHome: ItsHome && <ItsHome key={tool.id} />,
    routes: (root) => entryRoutes(root, { id: tool.id, ...pages }),
  }
}

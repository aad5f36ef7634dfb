import { type AnyRoute, createRoute } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { withTimeout } from '../../shared/async.ts'
import type { Milliseconds } from '../../shared/time.ts'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { requireRole } from '../../ui/navigation/guard.ts'
import { lazyScreen } from '../../ui/navigation/screen.ts'
import type { EntryScreens } from './tool-pages.ts'

type Screen = ComponentType<{ screens: EntryScreens }>

/** How long the screen waits for the list: a response within this time is shown without placeholders before it. */
const maxListWait: Milliseconds = 50

/** The routes of a tool's four shared pages and its own screens, each loaded when it is opened. */
export function entryRoutes(
  root: AnyRoute,
  {
    id,
    screens,
    ownScreens = {},
    OnStatusPage,
  }: {
    id: string
    OnStatusPage: NonNullable<EntryScreens['OnStatusPage']>
    screens: () => Promise<EntryScreens>
    ownScreens?: Readonly<Record<string, () => Promise<ComponentType>>> | undefined
  },
) {
  const at = (path: string, screen: () => Promise<Screen>) =>
    createRoute({
      getParentRoute: () => root,
      path: `/tools/${id}${path}`,
      ...lazyScreen(
        async () => {
          const [Screen, ownScreens] = await Promise.all([screen(), screens(), readServerConfig()])
          const all = { ...ownScreens, OnStatusPage }
          return () => <Screen screens={all} />
        },
        requireRole('Tools', 1),
      ),
    })
  return [
    at('', async () => (await import('./about.tsx')).AboutPage),
    at('/create', async () => (await import('./create.tsx')).CreatePage),
    at('/modify', async () => (await import('./modify.tsx')).ModifyPage),
    at('/viewlist', async () => {
      const listPreload = import('./calls.ts').then(({ loadList }) => withTimeout(maxListWait, loadList(id)))
      const [{ ViewlistPage }] = await Promise.all([import('./viewlist.tsx'), listPreload])
      return ViewlistPage
    }),
    ...Object.entries(ownScreens).map(([path, screen]) =>
      createRoute({
        getParentRoute: () => root,
        path: `/tools/${id}/${path}`,
        ...lazyScreen(async () => (await Promise.all([screen(), readServerConfig()]))[0], requireRole('Tools', 1)),
      }),
    ),
  ]
}

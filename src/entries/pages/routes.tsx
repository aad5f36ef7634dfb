import { type AnyRoute, createRoute } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { within } from '../../shared/async.ts'
import type { Milliseconds } from '../../shared/time.ts'
import { readServerConfig } from '../../ui/data/server-config.ts'
import { needsRole } from '../../ui/navigation/guard.ts'
import { fetchedScreen } from '../../ui/navigation/screen.ts'
import type { EntryScreens } from './tool-pages.ts'

type Screen = ComponentType<{ screens: EntryScreens }>

/** An answer that comes in this time is drawn at once, without placeholders before it; the screen waits no longer. */
const atOnce: Milliseconds = 50

/** The four pages of a tool and its own, each fetched when it is opened. */
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
      ...fetchedScreen(
        async () => {
          const [Screen, ownScreens] = await Promise.all([screen(), screens(), readServerConfig()])
          const all = { ...ownScreens, OnStatusPage }
          return () => <Screen screens={all} />
        },
        needsRole('Tools', 1),
      ),
    })
  return [
    at('', async () => (await import('./about.tsx')).AboutPage),
    at('/create', async () => (await import('./create.tsx')).CreatePage),
    at('/modify', async () => (await import('./modify.tsx')).ModifyPage),
    at('/viewlist', async () => {
      const asked = import('./calls.ts').then(({ loadList }) => within(atOnce, loadList(id)))
      const [{ ViewlistPage }] = await Promise.all([import('./viewlist.tsx'), asked])
      return ViewlistPage
    }),
    ...Object.entries(ownScreens).map(([path, screen]) =>
      createRoute({
        getParentRoute: () => root,
        path: `/tools/${id}/${path}`,
        ...fetchedScreen(async () => (await Promise.all([screen(), readServerConfig()]))[0], needsRole('Tools', 1)),
      }),
    ),
  ]
}

import * as z from 'zod/mini'
import type { Context } from '../platform/context.ts'
import { byOf } from '../platform/http/access/actor.ts'
import { callerOf, guard } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { inboxChanged, type LiveEvent } from '../platform/live/events.ts'
import { StatusPage, StatusPageBody } from './contract.ts'
import { removeStatusPage, saveStatusPage, statusPageOf } from './store.ts'

const path = '/api/v1/user/status'
const tags = ['Your account']

/** Its owner's screens show it anew, and nobody is shown the old one. */
const pageChanged = (userId: string): LiveEvent => ({ type: 'status', to: { userId }, data: null })

/** The calls by which users make their public status page. */
export function statusRoutes(app: App, context: Pick<Context, 'db' | 'now' | 'events' | 'config' | 'audit'>): void {
  const { db, events, config } = context

  const show = async (userId: string): Promise<StatusPage> => {
    const page = await statusPageOf(db.q, userId)
    if (!page) return { slug: null, title: '', text: '', entries: [], url: null, updatedAt: null }
    return { ...page, url: `${config.baseUrl}/status/${page.slug}` }
  }

  app.get(
    path,
    {
      ...guard('Tools', 1, 'read'),
      schema: {
        tags,
        summary: 'Get your status page',
        description: '`slug` is null while you have none.',
        response: { 200: StatusPage },
      },
    },
    (request) => show(callerOf(request).user.id),
  )

  app.put(
    path,
    {
      ...guard('Tools', 1, 'write'),
      schema: {
        tags,
        summary: 'Create or replace your status page',
        failures: { 409: 'This address is taken. Choose another one.' },
        description: [
          'Everybody can see it at `url`: the names of these entries in this order, how they are doing, their days and',
          'incidents; their URLs only with `showUrl`. 409 if the page of another user has this slug, or had it within 30 days.',
        ].join(' '),
        body: StatusPageBody,
        response: { 200: StatusPage },
      },
    },
    async (request) => {
      const { id } = callerOf(request).user
      await saveStatusPage(context, byOf(request), request.body)
      events.publish([pageChanged(id), inboxChanged(id)])
      return show(id)
    },
  )

  app.delete(
    path,
    {
      ...guard('Tools', 1, 'write'),
      schema: {
        tags,
        summary: 'Delete your status page',
        failures: { 404: 'Status page not found.' },
        response: { 200: z.object({ slug: z.null() }) },
      },
    },
    async (request) => {
      const { id } = callerOf(request).user
      await removeStatusPage(context, id)
      events.publish([pageChanged(id)])
      return { slug: null }
    },
  )
}

import { expect } from 'vitest'
import type { Dialect } from '../database/databases.ts'
import { apiKeyClient, type createPerson, createSignedInPerson as signedInPerson } from '../people.ts'
import { closeAfterwards, toolbox } from '../toolbox.ts'

type Details = Parameters<typeof createPerson>[1]

export async function keyScene(dialect: Dialect) {
  const box = closeAfterwards(await toolbox(dialect))

  async function signedIn(details: Details = {}) {
    const { session, screen, ...person } = await signedInPerson(box, details)
    return { person, screen, cookie: session.cookie }
  }
  return {
    box,
    signedIn,
    /** Creates a signed-in user with an API key; `wish` overrides the key's settings. */
    async withKey(details: Details = {}, wish: object = {}) {
      const owner = await signedIn(details)
      const body = { name: 'deploy', scopes: ['read', 'write'], expiresAt: null, ...wish }
      const created = await owner.screen.post('/api/v1/user/apikeys', body)
      expect(created.status).toBe(201)
      return { ...owner, created: created.body, program: apiKeyClient(box.app, created.body.key) }
    },
  }
}

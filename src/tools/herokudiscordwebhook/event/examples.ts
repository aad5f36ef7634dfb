import json from './examples.json' with { type: 'json' }

/** What differs from another sample, or else from most events. `include` is the entity of Heroku's subscription. */
type Sample = { title: string; like?: string; include?: string; at?: string; id: string; data?: object }

const samples: Readonly<Record<string, Sample>> = json

/** Sample events of every kind as Heroku posts them, with invented values. */
export const examples = Object.entries(samples).map(([name, sample]) => ({
  name,
  title: sample.title,
  payload: payloadOf(sample),
}))

function payloadOf({ like, ...own }: Sample): Record<string, unknown> {
  const base = samples[like ?? '']
  const { title: _, include = '', at = '2026-03-14T09:26:53Z', ...fields } = { ...base, ...own }
  return {
    resource: include.replace(/^api:/, ''),
    actor: { id: 'e4ea294c-062c-4256-a3df-036a35ca579b', email: 'ada@lantern.example' },
    previous_data: {},
    created_at: at,
    updated_at: at,
    published_at: at,
    sequence: null,
    version: 'application/vnd.heroku+json; version=3',
    webhook_metadata: {
      attempt: { id: 'd5d78533-d07a-40cb-ae93-472c43b94665' },
      delivery: { id: 'da2a490d-0319-4f28-a429-c8a18c8256dc' },
      event: { id: own.id, include },
      webhook: { id: '6bab147e-478a-4126-aab5-e2f82df5e411' },
    },
    ...fields,
    data: { ...base?.data, ...own.data },
  }
}

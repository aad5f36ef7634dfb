import addonAttachmentCreate from './addon-attachment-create.json' with { type: 'json' }
import addonAttachmentDestroy from './addon-attachment-destroy.json' with { type: 'json' }
import addonCreate from './addon-create.json' with { type: 'json' }
import addonDestroy from './addon-destroy.json' with { type: 'json' }
import addonUpdate from './addon-update.json' with { type: 'json' }
import apiDynoCreate from './api-dyno-create.json' with { type: 'json' }
import appCreate from './app-create.json' with { type: 'json' }
import appDestroy from './app-destroy.json' with { type: 'json' }
import appMaintenance from './app-maintenance.json' with { type: 'json' }
import appRenamed from './app-renamed.json' with { type: 'json' }
import buildFailed from './build-failed.json' with { type: 'json' }
import buildPending from './build-pending.json' with { type: 'json' }
import buildSucceeded from './build-succeeded.json' with { type: 'json' }
import collaboratorCreate from './collaborator-create.json' with { type: 'json' }
import collaboratorDestroy from './collaborator-destroy.json' with { type: 'json' }
import collaboratorUpdate from './collaborator-update.json' with { type: 'json' }
import domainCreate from './domain-create.json' with { type: 'json' }
import domainDestroy from './domain-destroy.json' with { type: 'json' }
import domainFailed from './domain-failed.json' with { type: 'json' }
import dynoCrashed from './dyno-crashed.json' with { type: 'json' }
import dynoDown from './dyno-down.json' with { type: 'json' }
import dynoStarting from './dyno-starting.json' with { type: 'json' }
import dynoUp from './dyno-up.json' with { type: 'json' }
import formationDestroy from './formation-destroy.json' with { type: 'json' }
import formationResize from './formation-resize.json' with { type: 'json' }
import formationUpdate from './formation-update.json' with { type: 'json' }
import releaseFailed from './release-failed.json' with { type: 'json' }
import releasePending from './release-pending.json' with { type: 'json' }
import releaseRollback from './release-rollback.json' with { type: 'json' }
import releaseSettings from './release-settings.json' with { type: 'json' }
import releaseSucceeded from './release-succeeded.json' with { type: 'json' }
import sniEndpointCreate from './sni-endpoint-create.json' with { type: 'json' }
import sslEndpointUpdate from './ssl-endpoint-update.json' with { type: 'json' }
import unknownResource from './unknown-resource.json' with { type: 'json' }

type Example = { name: string; payload: unknown }

/** One event of every kind as Heroku posts it, with invented values. */
export const examples: readonly Example[] = [
  { name: 'build-pending', payload: buildPending },
  { name: 'build-succeeded', payload: buildSucceeded },
  { name: 'build-failed', payload: buildFailed },
  { name: 'release-pending', payload: releasePending },
  { name: 'release-succeeded', payload: releaseSucceeded },
  { name: 'release-failed', payload: releaseFailed },
  { name: 'release-rollback', payload: releaseRollback },
  { name: 'release-settings', payload: releaseSettings },
  { name: 'dyno-starting', payload: dynoStarting },
  { name: 'dyno-up', payload: dynoUp },
  { name: 'dyno-crashed', payload: dynoCrashed },
  { name: 'dyno-down', payload: dynoDown },
  { name: 'api-dyno-create', payload: apiDynoCreate },
  { name: 'formation-update', payload: formationUpdate },
  { name: 'formation-resize', payload: formationResize },
  { name: 'formation-destroy', payload: formationDestroy },
  { name: 'app-create', payload: appCreate },
  { name: 'app-maintenance', payload: appMaintenance },
  { name: 'app-renamed', payload: appRenamed },
  { name: 'app-destroy', payload: appDestroy },
  { name: 'addon-create', payload: addonCreate },
  { name: 'addon-update', payload: addonUpdate },
  { name: 'addon-destroy', payload: addonDestroy },
  { name: 'addon-attachment-create', payload: addonAttachmentCreate },
  { name: 'addon-attachment-destroy', payload: addonAttachmentDestroy },
  { name: 'collaborator-create', payload: collaboratorCreate },
  { name: 'collaborator-update', payload: collaboratorUpdate },
  { name: 'collaborator-destroy', payload: collaboratorDestroy },
  { name: 'domain-create', payload: domainCreate },
  { name: 'domain-failed', payload: domainFailed },
  { name: 'domain-destroy', payload: domainDestroy },
  { name: 'sni-endpoint-create', payload: sniEndpointCreate },
  { name: 'ssl-endpoint-update', payload: sslEndpointUpdate },
  { name: 'unknown-resource', payload: unknownResource },
]

// Lets scripts be called as `yarn -s NAME`, a spelling of earlier Yarns that many
// people's fingers and other tools know. Output was quiet already.
module.exports = {
  name: 'plugin-quiet',
  factory: require => {
    const { BaseCommand } = require('@yarnpkg/cli');
    const { Option } = require('clipanion');
    class Quiet extends BaseCommand {
      static paths = [['-s'], ['--silent']];
      args = Option.Proxy();
      async execute() {
        return this.cli.run(['run', ...this.args]);
      }
    }
    return { commands: [Quiet] };
  },
};

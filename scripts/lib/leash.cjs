// Loaded into what the scripts start: when the script is gone, however it went,
// the process ends too, so that nothing is left running behind.
if (process.channel) {
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.exit(1), 10_000).unref();
  });
  process.channel.unref();
}

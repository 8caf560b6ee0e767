/** gyre.h - every public header, in dependency order. */
#ifndef GYRE_GYRE_H
#define GYRE_GYRE_H

#include <gyre/GYBase.h>
#include <gyre/GYObject.h>
#include <gyre/GYString.h>
#include <gyre/GYArray.h>
#include <gyre/GYData.h>
#include <gyre/GYTime.h>
#include <gyre/GYRunLoop.h>
#include <gyre/GYRunLoopSource.h>
#include <gyre/GYRunLoopTimer.h>
#include <gyre/GYRunLoopObserver.h>
#include <gyre/GYRunLoopPerform.h>
#include <gyre/GYFileDescriptor.h>
#include <gyre/GYMessagePort.h>
#include <gyre/GYPort.h>
#include <gyre/GYRunLoopEmbedding.h>
#include <gyre/GYSocket.h>
#include <gyre/GYDrainPool.h>
#include <gyre/GYThread.h>
#include <gyre/GYSignal.h>
#include <gyre/GYProcess.h>
#include <gyre/GYClock.h>
#include <gyre/GYFileWatcher.h>

#endif
